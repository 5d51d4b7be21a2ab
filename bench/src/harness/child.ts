import { fork } from 'node:child_process'
import { once } from 'node:events'
import { isMainThread } from 'node:worker_threads'

/** A script in a process of its own, so that its CPU can be measured. */
export type Child = {
  readonly pid: number
  /** One question at a time. @throws Error when the process ends instead of answering */
  ask<Answer>(question: unknown): Promise<Answer>
  close(): Promise<void>
}

export type ChildStart = { flags?: readonly string[]; environment?: Readonly<Record<string, string>> }

/**
 * Starts a script that calls `answerParent`. What it prints goes to our stderr.
 * @param how.flags of Node, beside our own
 */
export const startChild = (script: URL, { flags = [], environment = {} }: ChildStart = {}): Child => {
  const execArgv = [...process.execArgv, ...flags]
  const env = { ...environment, ...process.env }
  const child = fork(script, { execArgv, env, stdio: ['ignore', 2, 2, 'ipc'] })
  const exited = once(child, 'exit')
  return {
    pid: child.pid ?? 0,
    ask: async <Answer>(question: unknown) => {
      const answered = once(child, 'message')
      child.send({ question })
      const first = await Promise.race([answered, exited.then(() => null)])
      if (first === null) throw new Error(`${script.pathname} ended with ${child.exitCode}`)
      return answerOf<Answer>(first[0])
    },
    close: async () => {
      if (child.connected) child.disconnect()
      await exited
    },
  }
}

/** Asks a process of its own one question. */
export const askOnce = async <Answer>(
  script: URL,
  question: unknown,
  how: ChildStart = {},
): Promise<Answer> => {
  const child = startChild(script, how)
  try {
    return await child.ask<Answer>(question)
  } finally {
    await child.close()
  }
}

/**
 * The child's side: answers until the parent disconnects. A failure ends the process. Questions and answers
 * are JSON.
 */
export const answerParent = <Question>(answer: (question: Question) => Promise<unknown>): void => {
  if (process.send === undefined || !isMainThread) throw new Error('started by a bench only')
  process.on('disconnect', () => process.exit(0))
  process.on('message', (message) => {
    void answer(questionOf<Question>(message)).then((value) => process.send?.({ value }))
  })
}

/** Both sides are files of one commit, so that the answer has the type that the caller names. */
const answerOf = <Answer>(message: { value: unknown }): Answer => message.value as Answer

/** As above, for questions. */
const questionOf = <Question>(message: unknown): Question =>
  (message as { question: unknown }).question as Question
