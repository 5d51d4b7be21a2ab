-- Which installation of a private agent measures: another one with its token waits until that one is silent.
alter table private_agents add column instance text;
