import { limits } from '@probe-mesh/contracts/schema/limits'
import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import type { TierLimits } from '@probe-mesh/contracts/account/tiers'
import { markdownTable } from '../http/markdown-table.ts'

/** `docs/tiers.md`: what an account may do, printed from the tables that the code decides by. */
export const tierTable = (): string =>
  [
    '# Tiers and budgets',
    '',
    'What an account may have, by its tier. The operator may override a row (`TIER_OVERRIDES`). Printed',
    'from `contracts/src/account/tiers.ts` and `contracts/src/schema/limits.ts` by `npm run docs`.',
    '',
    ...markdownTable([
      ['', ...Object.keys(tiersDefault)],
      ...rows.map(([name, show]) => [name, ...Object.values(tiersDefault).map(show)]),
    ]),
    '',
    'Beyond an allowance it is SV-4001, below the shortest interval SV-4002, without REST SV-1003.',
    'Outage answers are open to everybody, and every key may read over MCP.',
    '',
    '## Budgets',
    '',
    'A sliding window: what was spent comes back a minute later. One count for REST and MCP.',
    '',
    ...markdownTable([
      ['budget', 'calls per minute', 'of each', 'refused with'],
      ['reads', String(limits.readsPerMinute), 'key', 'SV-6001'],
      ['writes', String(limits.writesPerMinute), 'key', 'SV-6002'],
      ['keyless', String(limits.keylessPerMinute), 'address', 'SV-6004'],
    ]),
    '',
    "`BUDGET_SCALE` is the operator's factor on the two keyed ones.",
    '',
  ].join('\n')

const days = (count: number): string => `${count} days`
const count = (value: number): string => value.toLocaleString('en')

/** One for each limit, so that a new one does not compile until it is told. */
const told: { readonly [K in keyof TierLimits]: [string, (tier: TierLimits) => string] } = {
  monitors: ['checks of any type', ({ monitors }) => count(monitors)],
  intervalSecondsMin: [
    'shortest interval',
    ({ intervalSecondsMin }) => `${intervalSecondsMin} seconds`,
  ],
  statusPages: ['status pages', ({ statusPages }) => count(statusPages)],
  agents: ['private agents', ({ agents }) => count(agents)],
  rawDays: ['readings are kept', ({ rawDays }) => days(rawDays)],
  hourDays: ['hourly figures are kept', ({ hourDays }) => days(hourDays)],
  errorEventsPerMonth: [
    'events of error tracking a month',
    ({ errorEventsPerMonth }) => count(errorEventsPerMonth),
  ],
  rest: ['REST API and writing over MCP', ({ rest }) => (rest ? 'yes' : 'no')],
}

const rows = Object.values(told)
