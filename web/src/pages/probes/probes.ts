import { inFigures } from '@probe-mesh/contracts/schema/in-figures'
import { shown, shownAsMarkdown } from '../answer-outcome.ts'
import { refused } from '../outcome.ts'
import { publicGet, type PublicRoute } from '../public-route.ts'
import { asMarkdown } from '../as-markdown.ts'
import type { Probes, RegionProbes } from '@probe-mesh/contracts/agent/probes'
import { instantText } from '../evidence-markdown.ts'
import { markdownLine } from '../../html/markdown.ts'
import { markdownTable } from '../weather/answer-markdown.ts'
import { answerPage } from '../../html/answer-page.ts'
import type { Assets } from '../../html/document.ts'
import { html } from '@probe-mesh/runtime/html'
import { time } from '../../html/measures.ts'
import { card } from '../../html/components/card.ts'
import { regionLabel } from '../../html/components/region-marks.ts'
import { table } from '../../html/components/table.ts'

const title = 'About our probes'

const about =
  'These requests are uptime checks. An account here, or our catalog of popular services, monitors your service.'

export const addressesText = ({ addresses, addressesKnown }: RegionProbes): string => {
  if (addressesKnown === 'none') return 'unknown'
  const listed = addresses.join(', ')
  return addressesKnown === 'all' ? listed : `${listed}, and unknown ones`
}

const budgetText = ({ requestsPerHostAndMinuteMax }: Probes): string =>
  `All accounts together send one host at most ${inFigures(requestsPerHostAndMinuteMax)} requests a minute, from all regions. A check beyond that is refused when it is created. Agents also limit the rate for each address.`

const vantageText = ({ vantage }: Probes): string | null =>
  vantage === 'local' ? 'One machine measures for every region here.' : null

/** For people who find our requests in a log: what they are, where they come from, and how to stop them. */
const probesPage = (assets: Assets, probes: Probes): string =>
  answerPage(assets, {
    title,
    about,
    description: about,
    area: null,
    url: probes.url,
    forms: { json: '/probes.json', markdown: asMarkdown('/probes') },
    main: html`${card(
        { id: 'from', title: 'Sources', about: html`as of ${time(probes.asOf)}` },
        html`<p>${probes.summary} ${vantageText(probes)}</p>
          ${table(
            'Regions, and where their requests come from',
            [
              { heading: 'Region', cell: ({ region }) => regionLabel(region) },
              { heading: 'Agents', cell: ({ agents }) => agents, isNumber: true },
              { heading: 'Addresses', cell: (one) => html`<span class="code">${addressesText(one)}</span>` },
              {
                heading: 'User-Agent',
                cell: ({ userAgents }) => html`<span class="code">${userAgents.join(', ')}</span>`,
              },
            ],
            probes.regions,
          )}`,
      )}
      <div class="cards">
        ${card({ id: 'budget', title: 'Request rate' }, html`<p>${budgetText(probes)}</p>`)}
        ${card(
          { id: 'opt-out', title: 'Opt out' },
          html`<p>${probes.optOut}</p>
            <p class="muted small-print">${probes.robots}</p>`,
        )}
      </div>`,
  })

/** The same as the page, in the same words. */
const probesMarkdown = (probes: Probes): string => {
  const parts = [
    `# ${title}`,
    about,
    `Source: <${probes.url}>`,
    '## Sources',
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
    '## Request rate',
    budgetText(probes),
    '## Opt out',
    markdownLine(probes.optOut),
    probes.robots,
  ]
  return `${parts.join('\n\n')}\n`
}

/** The page that the User-Agent of every check links to. */
export const probesRoutes: readonly PublicRoute[] = [
  publicGet('/probes', async ({ askPublic, assets }) => {
    const answer = await askPublic('probes', {})
    return answer.ok ? shown(probesPage(assets, answer.value)) : refused(answer)
  }),
  publicGet(asMarkdown('/probes'), async ({ askPublic }) => {
    const answer = await askPublic('probes', {})
    return answer.ok ? shownAsMarkdown(probesMarkdown(answer.value)) : refused(answer)
  }),
]
