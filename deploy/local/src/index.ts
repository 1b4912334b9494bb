export { startStack, type StackOptions } from './start-stack.js'
