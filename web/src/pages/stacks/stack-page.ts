import type { StackAnswer } from '@probe-mesh/contracts/outage/answers'
import { probeGrades } from '@probe-mesh/contracts/outage/catalog-grade'
import type { ProbeGrade } from '@probe-mesh/contracts/outage/catalog-grade'
import { askedCell } from '../../html/asked-words.ts'
import { lead, standing } from '../../html/answer-words.ts'
import { howRead } from '../../html/how-read.ts'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { time } from '../../html/measures.ts'
import { table } from '../../html/table.ts'
import { tag } from '../../html/tag.ts'
import { linkOf } from '../services/services-page.ts'

/** What the good readings of every member show. */
export const leastShown = ({ services }: StackAnswer): ProbeGrade | null =>
  probeGrades.find((grade) => services.some(({ shows }) => shows === grade)) ?? null

/** A stack: the plate level of each member, and how many are down or degraded. */
export const stackMain = (answer: StackAnswer): Html =>
  html`${lead(standing(answer.status, leastShown(answer)), answer.summary)}
    <section aria-labelledby="members">
      <h2 id="members">Services</h2>
      ${table(
        'Services of this stack',
        [
          { heading: 'Service', cell: linkOf },
          { heading: 'Status', cell: ({ level, shows }) => tag(standing(level, shows)) },
          { heading: 'Measured', cell: ({ measuredAt }) => time(measuredAt) },
          { heading: 'Asked', cell: askedCell },
        ],
        answer.services,
      )}
    </section>
    ${howRead(answer)}`
