/** From the resource's root: an attribute's name, a map's key, or the index of a list's element. */
export type Path = readonly (string | number | { readonly key: string })[]

/** What Terraform prints, and at which line where there is a path; an element of a set has none. */
export type Diagnostic = {
  severity: 'error' | 'warning'
  summary: string
  detail: string
  path: Path
}

export const errorAt = (path: Path, summary: string, detail: string): Diagnostic => ({
  severity: 'error',
  summary,
  detail,
  path,
})

export const warningAt = (path: Path, summary: string, detail: string): Diagnostic => ({
  severity: 'warning',
  summary,
  detail,
  path,
})

/** What the provider itself did wrong; nobody who uses it can mend it. */
export const bugAt = (path: Path, what: string): Diagnostic =>
  errorAt(path, 'This is a bug in the provider', what)

export const hasErrors = (diagnostics: readonly Diagnostic[]): boolean =>
  diagnostics.some(({ severity }) => severity === 'error')
