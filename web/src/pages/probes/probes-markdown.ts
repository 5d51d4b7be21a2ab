import type { Probes } from '@probe-mesh/contracts/agent/probes'
import { instantText } from '../evidence-markdown.ts'
import { markdownLine } from '../status/markdown.ts'
import { markdownTable } from '../weather/answer-markdown.ts'
import { about, addressesText, budgetText, title, vantageText } from './probes-words.ts'

/** The same as the page, in the same words. */
export const probesMarkdown = (probes: Probes): string => {
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
