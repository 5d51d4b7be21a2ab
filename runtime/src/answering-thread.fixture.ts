import { answerQuestions } from './warm-thread.ts'

/** Does what a test says: `spin` ends by its limit only. */
answerQuestions((question: 'spin' | 'fill' | 'throw' | 'exit' | number) => {
  const kept: number[][] = []
  if (question === 'throw') throw new RangeError('thrown in the thread')
  if (question === 'exit') process.exit(1)
  for (;;) {
    if (typeof question === 'number') return question
    if (question === 'fill') kept.push(Array.from({ length: 100_000 }, Math.random))
  }
})
