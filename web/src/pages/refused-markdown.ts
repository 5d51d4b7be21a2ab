import type { Problem } from '@probe-mesh/contracts/schema/refusal'
import { wordsOf } from '../html/components/label-problems.ts'
import { markdownLine } from '../html/markdown.ts'

/** A refusal at a Markdown address: the problem, and what to do. */
export const refusedMarkdown = (
  { title, message, errors, code }: Pick<Problem, 'title' | 'message' | 'errors' | 'code'>,
  retryAfter: string | null,
): string =>
  [
    `# ${markdownLine(title)}`,
    markdownLine(message),
    errors.length > 0 &&
      errors
        .map(({ path, message: said }) =>
          `- ${markdownLine(`${path === '' ? '' : `${wordsOf(path)}: `}${said}`)}`.trimEnd(),
        )
        .join('\n'),
    retryAfter !== null && `Try again in ${markdownLine(retryAfter)} seconds.`,
    code,
  ]
    .filter((part) => part !== false)
    .join('\n\n') + '\n'
