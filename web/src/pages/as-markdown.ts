/** The address of a page's Markdown form (S-1226): the same path with `.md`. */
export const asMarkdown = (path: string): string => `${path}.md`
