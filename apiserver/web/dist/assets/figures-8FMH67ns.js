<<<<<<<< HEAD:apiserver/web/dist/assets/figures-XazzMtg5.js
import{ad as i,K as s,O as a}from"./parts-BnBhP9K6.js";const c=["completed","failed","processing"],m=["incomplete","expired","declined"];function l(e){const n=d=>d.reduce((u,r)=>u+(e.by_status[r]??0),0),[o,t]=[n(c),n([...c,...m])];return t===0?"–":`${s(o)} of ${s(t)} (${a(o/t,0)})`}const f=e=>e===null?"–":e*60<1?"under 1 min":i(Math.round(e*60)*6e4);export{l as c,f as h};
========
import{ad as i,K as s,O as a}from"./parts-DndKKzjY.js";const c=["completed","failed","processing"],m=["incomplete","expired","declined"];function l(e){const n=d=>d.reduce((u,r)=>u+(e.by_status[r]??0),0),[o,t]=[n(c),n([...c,...m])];return t===0?"–":`${s(o)} of ${s(t)} (${a(o/t,0)})`}const f=e=>e===null?"–":e*60<1?"under 1 min":i(Math.round(e*60)*6e4);export{l as c,f as h};
>>>>>>>> 19f1c676 (activity files: preview a file before it is imported):apiserver/web/dist/assets/figures-8FMH67ns.js
