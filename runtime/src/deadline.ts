/** An operation did not answer in time: a store is too slow. */
export class AnswerTimeout extends Error {
  override readonly name = 'AnswerTimeout'
}

/** Settles like `work`, or rejects with `AnswerTimeout` after `timeoutMs`. The work itself continues. */
export const withDeadline = async <T>(work: Promise<T>, timeoutMs: number): Promise<T> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new AnswerTimeout(`no answer within ${timeoutMs} ms`))
    }, timeoutMs)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
