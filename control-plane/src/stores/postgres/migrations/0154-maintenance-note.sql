-- What a team writes to itself about a window, such as the change ticket. Visitors and subscribers never read it.
alter table maintenance_windows add column note text;
