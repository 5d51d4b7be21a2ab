import { shown, shownAsMarkdown } from '../answer-outcome.ts'
import { refused } from '../outcome.ts'
import type { PublicRoute } from '../public-route.ts'
import { asMarkdown } from '../as-markdown.ts'
import type { Probes, RegionProbes } from '@probe-mesh/contracts/agent/probes'
import { instantText } from '../evidence-markdown.ts'
import { markdownLine } from '../../html/markdown.ts'
import { markdownTable } from '../weather/answer-markdown.ts'
import { answerPage } from '../../html/answer-page.ts'
import type { Assets } from '../../html/document.ts'
import { html } from '@probe-mesh/runtime/html'
import { time } from '../../html/measures.ts'
import { table } from '../../html/components/table.ts'

const title = 'Who probes you?'

const about =
  'These requests are uptime checks: somebody who has an account here, or our catalog of popular services, wants to know whether your service works.'

export const addressesText = ({ addresses, addressesKnown }: RegionProbes): string => {
  if (addressesKnown === 'none') return 'unknown'
  const listed = addresses.join(', ')
  return addressesKnown === 'all' ? listed : `${listed}, and others that are unknown`
}

const budgetText = ({ requestsPerHostAndMinuteMax }: Probes): string =>
  `All checks of all accounts together may ask one host ${requestsPerHostAndMinuteMax.toLocaleString('en-US')} times a minute at most, from all regions; what would be more is refused where it is created. Agents keep a budget for each address besides.`

const vantageText = ({ vantage }: Probes): string | null =>
  vantage === 'local' ? 'Every region is measured from one machine here.' : null

/** For who found our requests in a log: what they are, where they come from, how to end them. */
const probesPage = (assets: Assets, probes: Probes): string =>
  answerPage(assets, {
    title: 'The probes',
    heading: html`${title}`,
    description: about,
    area: null,
    url: probes.url,
    forms: { json: '/probes.json', markdown: asMarkdown('/probes') },
    main: html`<p>${about}</p>
      <section aria-labelledby="from">
        <h2 id="from">Where requests come from</h2>
        <p>${probes.summary} ${vantageText(probes)}</p>
        ${table(
          'Regions, and where their requests come from',
          [
            { heading: 'Region', cell: ({ region }) => region },
            { heading: 'Agents', cell: ({ agents }) => agents, isNumber: true },
            { heading: 'Addresses', cell: addressesText },
            { heading: 'User-Agent', cell: ({ userAgents }) => userAgents.join(', ') },
          ],
          probes.regions,
        )}
        <p class="muted">As of ${time(probes.asOf)}.</p>
      </section>
      <section aria-labelledby="budget">
        <h2 id="budget">How often</h2>
        <p>${budgetText(probes)}</p>
      </section>
      <section aria-labelledby="opt-out">
        <h2 id="opt-out">Not to be probed</h2>
        <p>${probes.optOut}</p>
        <p>${probes.robots}</p>
      </section>`,
  })

/** The same as the page, in the same words. */
const probesMarkdown = (probes: Probes): string => {
  const parts = [
    `# ${title}`,
    about,
    `Source: <${probes.url}>`,
    '## Where requests come from',
    markdownLine([probes.summary, vantageText(probes)].filter((text) => text !== null).join(' ')),
    markdownTable(
      ['Region', 'Agents', 'Addresses', 'User-Agent'],
      probes.regions.map((one) => [
        one.region,
        one.agents,
        addressesText(one),
        markdownLine(one.userAgents.join(', ')),
      ]),
    ),
    `As of ${instantText(probes.asOf)}.`,
    '## How often',
    budgetText(probes),
    '## Not to be probed',
    markdownLine(probes.optOut),
    probes.robots,
  ]
  return `${parts.join('\n\n')}\n`
}

/** Who probes, from where: what the User-Agent of every check leads to. */
export const probesRoutes: readonly PublicRoute[] = [
  {
    path: '/probes',
    serve: async ({ askPublic, assets }) => {
      const answer = await askPublic('probes', {})
      return answer.ok ? shown(probesPage(assets, answer.value)) : refused(answer)
    },
  },
  {
    path: asMarkdown('/probes'),
    serve: async ({ askPublic }) => {
      const answer = await askPublic('probes', {})
      return answer.ok ? shownAsMarkdown(probesMarkdown(answer.value)) : refused(answer)
    },
  },
]
