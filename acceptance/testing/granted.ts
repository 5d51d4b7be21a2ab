/** What an answer of the API client has. @throws Error with the code and the message of a refusal */
export const granted = async <T>(
  call: Promise<{ ok: true; value: T } | { ok: false; problem: { code: string; message: string } }>,
): Promise<T> => {
  const answer = await call
  if (!answer.ok) throw new Error(`${answer.problem.code}: ${answer.problem.message}`)
  return answer.value
}
