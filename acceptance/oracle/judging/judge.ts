import { judgeAttempts } from './attempts.ts'
import { finding } from './facts.ts'
import type { Facts, Finding } from './facts.ts'
import { judgeFlips } from './flips.ts'
import { judgeMessages } from './messages.ts'
import { judgeSlots, judgeStored } from './slots.ts'
import { judgeLateness, judgeVerdicts } from './verdicts.ts'

/** Everything that was seen from outside against everything that the product stored, said and told. */
export const judge = (facts: Facts): Finding[] => [
  ...judgeAttempts(facts),
  ...judgeStored(facts),
  ...judgeSlots(facts),
  ...judgeVerdicts(facts),
  ...judgeFlips(facts),
  ...judgeMessages(facts),
  finding(
    `status of ${facts.said.length} checks: by the API / by the gateway`,
    '',
    '',
    facts.said.flatMap(({ check, api, gateway }) =>
      api === gateway ? [] : [`${check}: ${api}, gateway ${gateway}`],
    ),
  ),
  ...judgeLateness(facts),
]
