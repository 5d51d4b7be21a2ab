import type { Probes } from '@probe-mesh/contracts/agent/probes'
import { answerPage } from '../../html/answer-page.ts'
import type { Assets } from '../../html/document.ts'
import { html } from '@probe-mesh/runtime/html'
import { time } from '../../html/measures.ts'
import { table } from '../../html/table.ts'
import { about, addressesText, budgetText, title, vantageText } from './probes-words.ts'
import { asMarkdown } from '../as-markdown.ts'

/** For who found our requests in a log: what they are, where they come from, how to end them. */
export const probesPage = (assets: Assets, probes: Probes): string =>
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
