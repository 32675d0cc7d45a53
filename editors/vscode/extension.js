// Starts `rulewright lsp` for .uop files, and stops it with the editor.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = () => {
  const command = workspace.getConfiguration("rulewright").get("command", "rulewright");
  client = new LanguageClient(
    "rulewright",
    "Rulewright",
    { command, args: ["lsp"] },
    { documentSelector: [{ language: "uop" }] },
  );
  return client.start();
};

exports.deactivate = () => client?.stop();
