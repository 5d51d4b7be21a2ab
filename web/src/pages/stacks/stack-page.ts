import type { StackAnswer } from '@probe-mesh/contracts/answers'
import { lead, serviceWords } from '../../html/answer-words.ts'
import { howRead } from '../../html/how-read.ts'
import { html } from '../../html/html.ts'
import type { Html } from '../../html/html.ts'
import { time } from '../../html/measures.ts'
import { table } from '../../html/table.ts'
import { tag } from '../../html/tag.ts'
import { linkOf } from '../services/services-page.ts'

/** A stack: the plate level of each member, and how many are down or degraded. */
export const stackMain = (answer: StackAnswer): Html =>
  html`${lead(serviceWords[answer.status], answer.summary)}
    <section aria-labelledby="members">
      <h2 id="members">Services</h2>
      ${table(
        'Services of this stack',
        [
          { heading: 'Service', cell: linkOf },
          { heading: 'Status', cell: ({ level }) => tag(serviceWords[level]) },
          { heading: 'Measured', cell: ({ measuredAt }) => time(measuredAt) },
        ],
        answer.services,
      )}
    </section>
    ${howRead(answer)}`
