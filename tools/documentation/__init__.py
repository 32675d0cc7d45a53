"""The documentation site: pages made from `spec/`, the table of methods and the command line.

`write_site` writes it; nothing on a page needs a network, and equal input gives equal bytes.
"""
