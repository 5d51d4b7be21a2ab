import { defineCommand, keyOptions, text } from '../command-line/command-spec.ts'

const writes = 'It needs a read_write key and counts as one write.'
const check = { name: '<check>', description: 'name or id of a check' }
const body = text('--body <text>', 'text that visitors and subscribers get (default: the title)')
const page = text('--page <page>', 'slug, name or id of the status page (default: the only one that fits)')

export const alerts = defineCommand({
  name: 'alerts',
  summary: 'List open alerts; acknowledge, snooze or end one',
  details: [
    'An alert is an outage of a check that an alert rule watches. ack takes it: no more reminders, and its receivers learn who took it. snooze lets reminders wait; one comes at the end if the check still fails. resolve ends all messages about the outage. The check is measured as before.',
    'ack, snooze and resolve need a read_write key and count as one write each.',
  ],
  positional: [
    {
      name: '[act]',
      description: 'list (the default), ack, snooze or resolve',
      completes: ['list', 'ack', 'snooze', 'resolve'],
    },
    { name: '[check]', description: 'name or id of the check, or id of the alert' },
  ],
  options: {
    for: text('--for <duration>', 'how long to snooze, such as 30m, 4h or 1d (at most 7 days)'),
    until: text('--until <time>', 'when reminders start again, such as 2026-11-20T09:00:00Z'),
    ...keyOptions,
  },
  examples: [
    ['probe-mesh alerts', 'list open alerts'],
    ['probe-mesh alerts ack api', 'take the alert on the check api'],
    ['probe-mesh alerts snooze api --for 4h', 'remind again in four hours'],
    [
      "probe-mesh alerts --json | jq -r '.alerts[] | select(.acknowledgedAt == null) | .checkName'",
      'list checks whose alert is not acknowledged',
    ],
  ],
  load: async () => (await import('../actions/alerts.ts')).alerts,
})

export const incident = defineCommand({
  name: 'incident',
  summary: 'Open, update or resolve an incident of a status page',
  details: [
    'open names a check; the region is the first that is down, unless --region names another. update and resolve name an incident by its id or title, or by the name of its check if one incident about it is open. Confirmed subscribers get mail about each.',
    `${writes} \`probe-mesh incidents\` lists incidents.`,
  ],
  positional: [
    { name: '<act>', description: 'open, update or resolve', completes: ['open', 'update', 'resolve'] },
    { name: '<name>', description: 'the check to open an incident about, or the incident' },
  ],
  options: {
    title: text('--title <text>', 'title of a new incident'),
    body: text('--body <text>', 'text of the update (default: the title, or that it is resolved)'),
    status: text('--status <status>', 'status after an update', {
      choices: ['investigating', 'identified', 'monitoring', 'resolved'],
    }),
    region: text('--region <region>', 'affected region of a new incident'),
    page,
    ...keyOptions,
  },
  examples: [
    ['probe-mesh incident open api --title "Slow answers"', 'open an incident about the check api'],
    ['probe-mesh incident update api --status monitoring --body "A fix is out."', 'add an update'],
    ['probe-mesh incident resolve api', 'resolve it'],
  ],
  load: async () => (await import('../actions/act.ts')).incident,
})

export const maintenance = defineCommand({
  name: 'maintenance',
  summary: 'List, start or end maintenance of a status page',
  details: [
    'Without an act it lists the active windows. The API returns one of them per status page: of several, the one that ends last. Upcoming windows are on the status page.',
    'start announces maintenance from now on: alerts in its scope are held, checks continue, and confirmed subscribers get mail. end ends the only active window, or the one with a title or id.',
    `start and end need a read_write key and count as one write each.`,
  ],
  positional: [
    { name: '[act]', description: 'list (the default), start or end', completes: ['list', 'start', 'end'] },
    { name: '[window]', description: 'title or id of the window to end' },
  ],
  options: {
    title: text('--title <text>', 'title of a new window'),
    body,
    for: text('--for <duration>', 'how long it lasts, such as 30m, 2h or 1d'),
    until: text('--until <time>', 'when it ends, such as 2026-11-20T12:00:00Z'),
    components: text(
      '--components <names>',
      'components by name or id, separated by commas (default: the whole page)',
    ),
    page,
    ...keyOptions,
  },
  examples: [
    ['probe-mesh maintenance', 'list the active windows'],
    ['probe-mesh maintenance start --title "New database" --for 30m', 'start maintenance of the whole page'],
    ['probe-mesh maintenance end', 'end it'],
    ['probe-mesh maintenance --json | jq .windows[].endsAt', 'print when the active windows end'],
  ],
  load: async () => (await import('../actions/act.ts')).maintenance,
})

export const pause = defineCommand({
  name: 'pause',
  summary: 'Pause a check: it is not measured, and no rule alerts on it',
  details: [writes],
  positional: [check],
  options: keyOptions,
  examples: [['probe-mesh pause api', 'pause the check named api']],
  load: async () => (await import('../actions/act.ts')).pause,
})

export const resume = defineCommand({
  name: 'resume',
  summary: 'Measure a paused check again',
  details: [writes],
  positional: [check],
  options: keyOptions,
  examples: [['probe-mesh resume api', 'resume the check named api']],
  load: async () => (await import('../actions/act.ts')).resume,
})

export const channel = defineCommand({
  name: 'channel',
  summary: 'List notification channels, or send a test message',
  details: [
    `test sends a message now and prints the answer of the receiver. Exits 1 if it was not delivered. ${writes}`,
  ],
  positional: [
    { name: '[act]', description: 'list (the default) or test', completes: ['list', 'test'] },
    { name: '[channel]', description: 'name or id of the channel to test' },
  ],
  options: keyOptions,
  examples: [
    ['probe-mesh channel', 'list the channels'],
    ['probe-mesh channel test on-call', 'send a test message to the channel on-call'],
  ],
  load: async () => (await import('../actions/act.ts')).channel,
})
