import type { CaseClass } from './cases/case.ts'
import { contents } from './cases/contents.ts'
import { framing } from './cases/framing.ts'
import { heads } from './cases/heads.ts'
import { insertions } from './cases/insertions.ts'
import { protocols } from './cases/protocols.ts'
import { redirects } from './cases/redirects.ts'

/** All cases that one server plays. */
export const corpus: readonly CaseClass[] = [
  ...insertions,
  ...heads,
  ...framing,
  ...contents,
  ...redirects,
  ...protocols,
]
