import type { Verdict } from '@probe-mesh/contracts/reading/reading'
import { checkWords, type Wording } from '../../html/components/tag.ts'

/** `unmeasured` is the agent's own failure and no statement about the target. */
export const verdictWords: Readonly<Record<Verdict, Wording>> = {
  up: checkWords.up,
  down: checkWords.down,
  blocked: checkWords.blocked,
  unmeasured: { tone: 'silent', text: 'Not measured' },
}
