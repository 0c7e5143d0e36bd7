"""Access to the page: sign-in with logins of the database, sessions, invitation links of assessors, and the audit log."""
