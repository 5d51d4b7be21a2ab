/** What could be read of an import, or every reason why not. */
export type Read<T> = ({ warnings: string[] } & T) | { problems: string[] }
