/** Steps from the resource's root: an attribute's name, a map's key, or a list's index. */
export type Path = readonly (string | number | { readonly key: string })[]

/** What Terraform prints, at the line of the path; an element of a set has no path. */
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

/** A bug of the provider, which its users cannot fix. */
export const bugAt = (path: Path, what: string): Diagnostic =>
  errorAt(path, 'This is a bug in the provider', what)

export const hasErrors = (diagnostics: readonly Diagnostic[]): boolean =>
  diagnostics.some(({ severity }) => severity === 'error')
