/** The largest message either way, unless told otherwise. */
export const defaultMaxMessageBytes = 16 * 1024 * 1024
