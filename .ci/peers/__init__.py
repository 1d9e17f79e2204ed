"""The parts of docs/performance.md, a file each: its TITLE, `measure`, which gives one text, and `show`, the tables of it."""
