/** Where a login leads that says nothing else. */
export const home = '/dashboard'

/**
 * The path to go on to after a login: ours, and a page of the dashboard. Anything else, such as
 * `//elsewhere.example`, which browsers take for another site, is the dashboard's first page.
 */
export const nextPath = (asked: string | null): string =>
  asked !== null && /^\/dashboard(?:[/?][\w\-./?=&%~+]*)?$/.test(asked) && !asked.includes('//')
    ? asked
    : home
