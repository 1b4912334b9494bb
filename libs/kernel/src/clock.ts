/** The time, in milliseconds since the epoch. Passed in, so that tests own it. */
export type Clock = () => number
