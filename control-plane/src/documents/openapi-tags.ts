/** The nouns of the API, in the order of the document, with the first parts of their paths. */
export const tags = [
  { name: 'checks', about: 'What is measured, its status, its readings and its uptime.', paths: ['checks'] },
  {
    name: 'status-pages',
    about: 'Public pages and the checks that they show.',
    paths: ['status-pages', 'status'],
  },
  { name: 'incidents', about: 'Outages, and what you tell visitors about them.', paths: ['incidents'] },
  {
    name: 'maintenance',
    about: 'Planned work, during which alerts are held.',
    paths: ['maintenance', 'maintenance-windows'],
  },
  { name: 'alerts', about: 'Open alerts: acknowledge, snooze or end them.', paths: ['alerts'] },
  {
    name: 'objectives',
    about: 'Service level objectives and their error budgets.',
    paths: ['objectives'],
  },
  {
    name: 'notification-channels',
    about: 'Receivers of alerts.',
    paths: ['notification-channels'],
  },
  { name: 'errors', about: 'Error events of your programs, grouped into issues.', paths: ['errors'] },
  { name: 'agents', about: 'Agents in your own network.', paths: ['agents'] },
  {
    name: 'account',
    about: 'The account, its limits, live events, and metrics.',
    paths: ['me', 'events', 'metrics'],
  },
  {
    name: 'outages',
    about: 'Whether popular services are up. Needs no key.',
    paths: ['public', 'probes.json'],
  },
] as const

/** @throws Error for a path that no noun has, so that a new route gets one */
export const tagOf = (path: string): string => {
  const first = path.split('/')[1] ?? ''
  const tag = tags.find(({ paths }) => paths.some((each) => each === first))
  if (tag === undefined) throw new Error(`${path} belongs to no noun of openapi-tags.ts`)
  return tag.name
}
