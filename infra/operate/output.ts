/** The output of an operator act: data to stdout, notes and problems to stderr. */
export type AdminOutput = { out(text: string): void; error(text: string): void }

/** Prints a line for each problem. @returns the exit code of a failure */
export const printProblems = (output: AdminOutput, problems: readonly string[]): 1 => {
  for (const problem of problems) output.error(`admin: ${problem}\n`)
  return 1
}
