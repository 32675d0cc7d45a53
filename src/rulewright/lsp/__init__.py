"""The language server for `.uop` files: what an editor asks, answered from the syntax trees.

`names` finds what each word of a file means, `project` holds texts and their trees, `questions`
answers about names, `rename` changes them, `server` speaks the protocol (the extra `lsp`).
"""
