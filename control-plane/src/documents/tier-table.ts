import { rateLimits } from '@probe-mesh/contracts/account/rate-limits'
import { tiersDefault, type TierLimits } from '@probe-mesh/contracts/account/tiers'
import { markdownTable } from '@probe-mesh/runtime/tables'

/** `docs/tiers.md`: the limits of plans, generated from the tables that the code uses. */
export const tierTable = (): string =>
  [
    '# Tiers and budgets',
    '',
    'The limits of an account, by its tier. The operator may override a row (`TIER_OVERRIDES`). `npm run docs`',
    'generates this page from `contracts/src/account/tiers.ts` and `contracts/src/schema/limits.ts`.',
    '',
    markdownTable([
      ['', ...Object.keys(tiersDefault)],
      ...rows.map(([name, show]) => [name, ...Object.values(tiersDefault).map(show)]),
    ]),
    '',
    'Errors: SV-4001 beyond an allowance, SV-4002 below the shortest interval, SV-1003 without REST.',
    'Outage answers need no key. Every key may read over MCP.',
    '',
    '## Budgets',
    '',
    'A sliding window of one minute. REST and MCP share one count.',
    '',
    markdownTable([
      ['budget', 'calls per minute', 'for each', 'error'],
      ['reads', String(rateLimits.readsPerMinute), 'key', 'SV-6001'],
      ['writes', String(rateLimits.writesPerMinute), 'key', 'SV-6002'],
      ['keyless', String(rateLimits.keylessPerMinute), 'address', 'SV-6004'],
    ]),
    '',
    '`BUDGET_SCALE` is a factor for the two keyed budgets, set by the operator.',
    '',
  ].join('\n')

const days = (count: number): string => `${count} days`
const count = (value: number): string => value.toLocaleString('en')

/** A row for each limit: a new limit does not compile without one. */
const rowOf: { readonly [K in keyof TierLimits]: [string, (tier: TierLimits) => string] } = {
  monitors: ['checks of any type', ({ monitors }) => count(monitors)],
  intervalSecondsMin: ['shortest interval', ({ intervalSecondsMin }) => `${intervalSecondsMin} seconds`],
  statusPages: ['status pages', ({ statusPages }) => count(statusPages)],
  agents: ['private agents', ({ agents }) => count(agents)],
  rawDays: ['retention of readings', ({ rawDays }) => days(rawDays)],
  hourDays: ['retention of hourly figures', ({ hourDays }) => days(hourDays)],
  errorEventsPerMonth: ['error events a month', ({ errorEventsPerMonth }) => count(errorEventsPerMonth)],
  rest: ['REST API and writing over MCP', ({ rest }) => (rest ? 'yes' : 'no')],
}

const rows = Object.values(rowOf)
