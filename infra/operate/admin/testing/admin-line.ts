import { runAdmin } from '../admin.ts'

/** Runs a command line of `npm run admin`. @returns its exit code and what it printed */
export const adminLine = async (line: string, environment: Record<string, string>) => {
  const printed = { out: '', error: '' }
  const argv = line.split(' ').filter((word) => word !== '')
  const code = await runAdmin(argv, environment, {
    out: (text) => (printed.out += text),
    error: (text) => (printed.error += text),
  })
  return { code, ...printed }
}
