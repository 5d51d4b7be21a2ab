import { inFigures } from '@probe-mesh/contracts/schema/in-figures'
import type { Tier, TierLimits } from '@probe-mesh/contracts/account/tiers'
import { icon, type IconName } from '../../html/components/icon.ts'
import { table } from '../../html/components/table.ts'
import { html, type Html } from '@probe-mesh/runtime/html'
import { duration } from '../../html/measures.ts'

export type Ways = {
  apiUrl: string
  /** Whether sign-up is open. */
  canSignUp: boolean
  tiers: Readonly<Record<Tier, TierLimits>>
}

/** The product for people with their own services: features, reasons, and plans. */
export const productSections = (ways: Ways): Html =>
  html`<section class="call" aria-labelledby="own">
      <div>
        <h2 id="own">Monitor your own services</h2>
        <p>The same probes, alerts that name the cause, and a status page that never guesses.</p>
        <p class="actions">
          ${ways.canSignUp && html`<a class="button primary" href="/signup">Create account</a>`}
          <a class="button" href="/dashboard">Log in</a>
          <a class="button" href="/docs">Read the docs</a>
        </p>
      </div>
      <pre data-copy="command"><code>curl -s ${ways.apiUrl}/public/services/github/status</code></pre>
    </section>
    <section aria-labelledby="what">
      <h2 id="what">What you get</h2>
      <ul class="features">
        ${features.map(
          ({ name, text, icon: iconName }) =>
            html`<li>
              ${icon(iconName)}
              <h3>${name}</h3>
              <p>${text}</p>
            </li>`,
        )}
      </ul>
    </section>
    <section aria-labelledby="plans">
      <h2 id="plans">Plans</h2>
      ${planTable(ways)}
    </section>`

const features: readonly { name: string; text: string; icon: IconName }[] = [
  {
    name: 'Checks',
    icon: 'check',
    text: 'HTTP, journeys of several steps, browsers, TCP, DNS, mail servers and heartbeats, from every region.',
  },
  {
    name: 'Honest answers',
    icon: 'ok',
    text: 'Blocked is never down, and no data is never healthy. Every answer says where and when it was measured.',
  },
  {
    name: 'Alerts',
    icon: 'alert',
    text: 'A majority of regions decides. Each change is sent once, with its reason and what else failed.',
  },
  {
    name: 'Status pages',
    icon: 'status-page',
    text: 'With incidents, maintenance, subscribers and 90 days of history, in your colours.',
  },
  {
    name: 'Errors',
    icon: 'error',
    text: 'Exceptions of your code beside the outages that they belong to. Works with Sentry SDKs.',
  },
  {
    name: 'For programs',
    icon: 'key',
    text: 'REST, a command line, Terraform, and tools for assistants over MCP.',
  },
]

type Row = { name: string; of: (limits: TierLimits) => string | number }

const rows: readonly Row[] = [
  { name: 'Checks', of: ({ monitors }) => inFigures(monitors) },
  { name: 'Shortest interval', of: ({ intervalSecondsMin }) => duration(intervalSecondsMin) },
  { name: 'Status pages', of: ({ statusPages }) => statusPages },
  { name: 'Private agents', of: ({ agents }) => agents },
  { name: 'Readings kept', of: ({ rawDays }) => `${rawDays} days` },
  { name: 'Error events a month', of: (limits) => inFigures(limits.errorEventsPerMonth) },
  { name: 'REST API', of: ({ rest }) => (rest ? 'yes' : 'no') },
]

const planTable = ({ tiers }: Ways): Html =>
  table(
    'Limits of each plan',
    [
      { heading: 'Limit', cell: ({ name }: Row) => name },
      { heading: 'Free', cell: ({ of }) => of(tiers.free), isNumber: true },
      { heading: 'Growth', cell: ({ of }) => of(tiers.growth), isNumber: true },
      { heading: 'Scale', cell: ({ of }) => of(tiers.scale), isNumber: true },
    ],
    rows,
  )
