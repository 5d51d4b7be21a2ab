-- The address of a browser check was in its settings only, so lists and messages did not show it.
update checks set target = config #>> '{settings,url}' where type = 'browser' and target is null;
