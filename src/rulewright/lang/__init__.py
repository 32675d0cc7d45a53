"""The UOp language: `.uop` text to checked rules, diagnostics, formatter, documents.

Importing this imports neither lark nor the parser.
"""
