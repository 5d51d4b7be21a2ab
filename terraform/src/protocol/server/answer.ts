import { bugAt, errorAt, type Diagnostic, type Path } from '../diagnostic.ts'
import type { CallContext } from '../resource.ts'
import type { DiagnosticMessage, AttributePath } from '../wire/messages.ts'

/**
 * Turns an exception into a diagnostic, which Terraform prints; an error of gRPC would look like a crash.
 * @param instead the rest of the response
 */
export const answer = async <Response extends { diagnostics?: readonly DiagnosticMessage[] | undefined }>(
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

/** An exception as a diagnostic, with its stack in the log. After StopProvider it counts as an interruption. */
export const diagnosticOf = ({ signal, log }: CallContext, error: unknown): Diagnostic => {
  const { message, stack = message } = error instanceof Error ? error : new Error(String(error))
  if (signal.aborted) {
    log('debug', stack)
    return errorAt([], 'Interrupted', 'Terraform stopped the provider before the call finished.')
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
