import { start } from './start.tsx';

const element = document.getElementById('root');
if (!element) throw new Error('The page has no root element');
start(element);
