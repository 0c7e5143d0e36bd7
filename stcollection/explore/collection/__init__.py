"""The tab on what the collection holds."""
