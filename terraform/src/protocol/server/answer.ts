import { bugAt, errorAt } from '../diagnostic.ts'
import type { Diagnostic, Path } from '../diagnostic.ts'
import type { CallContext } from '../resource.ts'
import type { DiagnosticMessage, AttributePath } from '../wire/messages.ts'

/**
 * Makes an exception a diagnostic: Terraform prints that to its user, and an error of gRPC as a crash.
 * @param instead what is answered with it
 */
export const answer = async <
  Response extends { diagnostics?: readonly DiagnosticMessage[] | undefined },
>(
  context: CallContext,
  instead: Response,
  work: () => Promise<Response>,
): Promise<Response> => {
  try {
    return await work()
  } catch (error) {
    return { ...instead, diagnostics: toMessages([diagnosticOf(context, error)]) }
  }
}

/** An exception in words; its stack is logged. Once the end was asked for, that is what it comes of. */
export const diagnosticOf = ({ signal, log }: CallContext, error: unknown): Diagnostic => {
  const { message, stack = message } = error instanceof Error ? error : new Error(String(error))
  if (signal.aborted) {
    log('debug', stack)
    return errorAt(
      [],
      'Interrupted',
      'Terraform asked the provider to end before it had an answer.',
    )
  }
  log('error', stack)
  return bugAt([], message)
}

export const toMessages = (diagnostics: readonly Diagnostic[]): DiagnosticMessage[] =>
  diagnostics.map(({ severity, summary, detail, path }) => ({
    severity,
    summary,
    detail,
    attribute: path.length === 0 ? null : toAttributePath(path),
  }))

export const toAttributePath = (path: Path): AttributePath => ({
  steps: path.map((step) => {
    if (typeof step === 'string') return { attributeName: step }
    return typeof step === 'number' ? { elementKeyInt: step } : { elementKeyString: step.key }
  }),
})
