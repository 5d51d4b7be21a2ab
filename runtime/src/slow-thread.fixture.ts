import { answerQuestions } from './warm-thread.ts'

/** Holds the thread for this CPU time, ms. */
const work = (ms: number): void => {
  const before = process.threadCpuUsage()
  const usedMs = (): number => {
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1_000
  }
  while (usedMs() < ms);
}

work(600)
answerQuestions((question: string) => {
  if (question === 'spin') work(60_000)
  return question
})
