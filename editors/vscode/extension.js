// Starts `rulewright lsp` for .uop files, and stops it with the editor.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = () => {
  const settings = workspace.getConfiguration("rulewright");
  const command = settings.get("command", "rulewright");
  const allowed = settings.get("allowExterns", []).flatMap((name) => ["--allow-externs", name]);
  client = new LanguageClient(
    "rulewright",
    "Rulewright",
    { command, args: ["lsp", ...allowed] },
    { documentSelector: [{ language: "uop" }] },
  );
  return client.start();
};

exports.deactivate = () => client?.stop();
