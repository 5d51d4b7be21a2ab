import type { Failure } from '../../api/failure.ts'
import type { Finding } from '../../show/findings.ts'

/** Failures of what a command needs, each as the finding that it is here. */
export const failuresToFindings = (topic: string, failures: readonly Failure[]): Finding[] =>
  failures.map((failure) => {
    const { message } = failure
    if ('code' in failure) return { level: 'fail', topic, message: `${failure.code}: ${message}` }
    return {
      level: 'fail',
      topic,
      message,
      ...(failure.hint === undefined ? {} : { next: failure.hint }),
    }
  })
