"""Word tables as data: verbs that act or look, status words and keys, and how a failure opens a text.

Only tables belong here, no code that reads them: `toolspec` and `evidence` do. A table that could be argued about
says where its rows come from.
"""
