// A thread that replays status rules, one replay at a time: 400,000 readings take seconds.
import { answerQuestions } from '@probe-mesh/runtime/warm-thread'
import { createComparison, type Compared, type Page } from './compare-rules.ts'

/** In this order: `begin`, pages, `endMs`. The next `begin` drops a replay that did not end. */
export type ReplayQuestion = { begin: Compared } | { page: Page } | { endMs: number }

let comparison: ReturnType<typeof createComparison> | null = null

answerQuestions((question: ReplayQuestion) => {
  if ('begin' in question) {
    comparison = createComparison(question.begin)
    return null
  }
  if (comparison === null) throw new Error('a replay has not begun')
  if ('page' in question) return comparison.judge(question.page)
  const ended = comparison.end(question.endMs)
  comparison = null
  return ended
})
