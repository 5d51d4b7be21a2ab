import { shown, shownAsMarkdown } from '../answer-outcome.ts'
import { refused } from '../outcome.ts'
import type { PublicRoute } from '../status/public-route.ts'
import { probesPage } from './probes-page.ts'
import { asMarkdown } from '../as-markdown.ts'
import type { Probes } from '@probe-mesh/contracts/agent/probes'
import { instantText } from '../evidence-markdown.ts'
import { markdownLine } from '../status/markdown.ts'
import { markdownTable } from '../weather/answer-markdown.ts'
import { about, addressesText, budgetText, title, vantageText } from './probes-words.ts'

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
