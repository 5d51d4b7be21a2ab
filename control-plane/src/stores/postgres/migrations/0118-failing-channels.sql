-- Since when the messages of a channel fail, and how; null: they arrive.
alter table notification_channels
  add column failing_since timestamptz,
  add column failing_detail text,
  -- when its members were told last, so that a channel that comes and goes mails once a day
  add column failing_told_at timestamptz;

-- Where a rule's alerts go as well while one of its channels fails.
alter table alert_rules add column fallback_channel_id uuid;

