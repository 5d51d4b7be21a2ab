import type { Attack } from '../attack.ts'
import { regionalFailures, silentTrials } from './checks.ts'
import { costlyEvents } from './errors.ts'
import { floodOfReadings, nestedReadings } from './private-agent.ts'
import { floodOfMetrics, floodOfReads, floodOfWrongTokens, wrongPasswords } from './requests.ts'

/** Ways in which an account could harm others within its quotas. */
export const attacks: readonly Attack[] = [
  regionalFailures,
  silentTrials,
  floodOfReadings,
  costlyEvents,
  floodOfReads,
  floodOfMetrics,
  floodOfWrongTokens,
  wrongPasswords,
  nestedReadings,
]
