/** How often is measured what a median is told of: five times at least, or once to see that it works. */
export const repeatsOf = (quick: boolean): number => (quick ? 1 : 5)
