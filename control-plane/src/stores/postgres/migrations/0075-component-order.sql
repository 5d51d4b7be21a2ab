-- The place and group of a component on its page. null: behind the arranged ones, in order of publication.
alter table components add column position integer, add column group_name text;
