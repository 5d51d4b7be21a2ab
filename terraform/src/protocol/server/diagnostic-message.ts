import type { Diagnostic, Path } from '../diagnostic.ts'
import type { AttributePath, DiagnosticMessage } from '../wire/messages.ts'

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
