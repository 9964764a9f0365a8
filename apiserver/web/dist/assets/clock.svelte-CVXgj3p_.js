import{ar as s}from"./format-BUxM6R6Q.js";function n(r){const e=s(t=>{const o=setInterval(t,r);return()=>clearInterval(o)});return()=>(e(),Date.now())}const a=n(1e4),i=n(1e3);export{i as a,a as n};
