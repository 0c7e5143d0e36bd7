"""The panel of proposed queries in the view Judging."""
